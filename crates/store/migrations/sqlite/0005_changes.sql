-- Lists over all scopes by name, and what was at a moment by id.
CREATE INDEX documents_by_name ON documents (kind, name, id) WHERE name IS NOT NULL;
CREATE INDEX documents_by_id ON documents (kind, scope, id);

-- What changed, numbered in the order of commits. Only what was before is kept: what was after is what was before the next
-- change of the same document or, where there is none, the document itself.
CREATE TABLE changes (
    seq    INTEGER PRIMARY KEY AUTOINCREMENT,
    kind   TEXT    NOT NULL,
    scope  TEXT    NOT NULL,
    id     TEXT    NOT NULL,
    gone   INTEGER NOT NULL,
    -- NULL: it was made.
    before TEXT
) STRICT;
CREATE INDEX changes_scope ON changes (scope, kind, seq);
CREATE INDEX changes_document ON changes (kind, id, seq);

-- Of each scope, and under '' of all of them, the last number that is not known any more.
CREATE TABLE forgotten_changes (
    scope TEXT    NOT NULL PRIMARY KEY,
    upto  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
