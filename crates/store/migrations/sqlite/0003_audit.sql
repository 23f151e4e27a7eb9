-- Only appended to. Every column is part of what a record's hash is made of, so that none can be changed unnoticed.
CREATE TABLE audit (
    seq         INTEGER NOT NULL PRIMARY KEY,
    at_ms       INTEGER NOT NULL,
    stage       TEXT    NOT NULL,
    actor_id    TEXT    NOT NULL,
    actor_name  TEXT    NOT NULL,
    address     TEXT    NOT NULL,
    agent       TEXT    NOT NULL,
    action      TEXT    NOT NULL,
    object_kind TEXT    NOT NULL,
    object_name TEXT,
    object_id   TEXT,
    project     TEXT,
    org         TEXT,
    change      TEXT,
    status      INTEGER,
    code        TEXT,
    request     TEXT    NOT NULL,
    previous    BLOB    NOT NULL,
    hash        BLOB    NOT NULL
) STRICT;
CREATE INDEX audit_project ON audit (project, seq) WHERE project IS NOT NULL;
CREATE INDEX audit_org ON audit (org, seq) WHERE org IS NOT NULL;

-- A mistake of ours is stopped here; somebody else's hand is not, and is what the hashes are for.
CREATE TRIGGER audit_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
CREATE TRIGGER audit_not_removed BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
-- REPLACE removes a row without that trigger.
CREATE TRIGGER audit_not_replaced BEFORE INSERT ON audit WHEN NEW.seq <= (SELECT max(seq) FROM audit)
BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
