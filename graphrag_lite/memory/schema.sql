pragma journal_mode = wal;
pragma synchronous = full;
pragma secure_delete = on;
create table if not exists entries (
    place integer primary key, id text unique not null, kind text not null, session text not null, role text not null,
    content text not null, tags text not null, citations text not null, created_at text not null, language text not null
);
create index if not exists entries_by_time on entries (kind, session, created_at, place);
create virtual table if not exists found using fts5 (terms, tokenize = "unicode61 remove_diacritics 0");
create table if not exists languages (kind text not null, language text not null, primary key (kind, language))
    without rowid;
create table if not exists vectors (place integer, model text, vector blob not null, primary key (place, model))
    without rowid;
create table if not exists blocks (
    session text not null, name text not null, content text not null, primary key (session, name)
) without rowid;
create table if not exists unanswered (
    session text not null, kind text not null, name text not null, before text not null,
    primary key (session, kind, name)
) without rowid;
