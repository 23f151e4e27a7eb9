-- Master keys that nothing may be sealed under any more.
CREATE TABLE retired_keys (
    mark BLOB NOT NULL PRIMARY KEY CHECK (length(mark) > 0)
) STRICT, WITHOUT ROWID;
