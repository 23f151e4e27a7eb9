-- 'PlCk': marks the file as a store of this platform, so that another program's database is not taken for one.
PRAGMA application_id = 1349272427;

CREATE TABLE documents (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind    TEXT    NOT NULL,
    id      TEXT    NOT NULL,
    project TEXT    NOT NULL,
    name    TEXT,
    parent  TEXT,
    version INTEGER NOT NULL CHECK (version > 0),
    body    TEXT    NOT NULL,
    UNIQUE (kind, id)
) STRICT;
CREATE UNIQUE INDEX documents_name ON documents (kind, project, name) WHERE name IS NOT NULL;
CREATE INDEX documents_parent ON documents (kind, parent) WHERE parent IS NOT NULL;
CREATE INDEX documents_project ON documents (kind, project);

CREATE TABLE tasks (
    subject_kind   TEXT    NOT NULL,
    subject_id     TEXT    NOT NULL,
    run_at_ms      INTEGER NOT NULL,
    failures       INTEGER NOT NULL DEFAULT 0,
    fence          INTEGER NOT NULL DEFAULT 0,
    lease_owner    TEXT,
    lease_until_ms INTEGER,
    lease_ttl_ms   INTEGER,
    -- The earliest wake-up that came while the task was leased.
    woken_ms       INTEGER,
    -- What the clock said when the task was last leased or renewed: a smaller "now" means it was set back.
    seen_ms        INTEGER,
    -- When somebody may take the task: a free one when it is to run, a leased one when its lease runs out.
    due_ms         INTEGER GENERATED ALWAYS AS (CASE WHEN lease_owner IS NULL THEN run_at_ms ELSE lease_until_ms END) VIRTUAL,
    PRIMARY KEY (subject_kind, subject_id),
    CHECK ((lease_owner IS NULL) = (lease_until_ms IS NULL)),
    CHECK ((lease_owner IS NULL) = (lease_ttl_ms IS NULL)),
    CHECK (lease_owner IS NOT NULL OR woken_ms IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_due ON tasks (due_ms);

-- Fences come from one counter for all tasks: a number is never given twice, not even after a task ended and was made again.
CREATE TABLE counters (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('fence', 0);

CREATE TABLE ledger (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    subject_kind TEXT NOT NULL,
    subject_id   TEXT NOT NULL,
    kind         TEXT NOT NULL,
    id           TEXT NOT NULL,
    UNIQUE (subject_kind, subject_id, kind, id)
) STRICT;

CREATE TABLE secrets (
    owner  TEXT NOT NULL,
    name   TEXT NOT NULL,
    sealed BLOB NOT NULL,
    PRIMARY KEY (owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    project      TEXT    NOT NULL,
    subject_kind TEXT    NOT NULL,
    subject_id   TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    body         TEXT    NOT NULL
) STRICT;
CREATE INDEX events_project ON events (project, seq);
CREATE INDEX events_subject ON events (subject_kind, subject_id, seq);
CREATE INDEX events_at ON events (at);
