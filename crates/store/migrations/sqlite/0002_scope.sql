-- What a document's name is unique in is a project for most kinds, an organisation or the whole platform for others.
ALTER TABLE documents RENAME COLUMN project TO scope;
DROP INDEX documents_project;
CREATE INDEX documents_scope ON documents (kind, scope);
