-- The takeovers of each bank, the names of the journal's numbers, and three views for auditors.

-- A transaction that raises an epoch, or gives a bank up, adds a row; verify and a start hold head and journal to them.
-- how: found, when this table was made; opened, with the bank's first row; taken; copied, for rows that have their
-- source's epochs; released. seq: the head's at that moment. at: unix milliseconds, by the database's clock.
CREATE TABLE takeover (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    bank integer NOT NULL,
    epoch bigint NOT NULL,
    how text NOT NULL CHECK (how IN ('found', 'opened', 'taken', 'copied', 'released')),
    holder text NOT NULL,
    seq bigint NOT NULL CHECK (seq >= 0),
    at bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
);

INSERT INTO takeover (bank, epoch, how, holder, seq) SELECT bank, epoch, 'found', holder, seq FROM head ORDER BY bank;

-- What the journal's numbers are called. It follows from the rows that gave them, and verify holds it to those. link:
-- of a level, else 0. A person has no name here, which could not be erased, but the mark of their row in person. hits:
-- a run of hits by its first number, with the bank that became this one and made them; the last run, "", is its own.
CREATE TABLE name (
    bank integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('link', 'level', 'table', 'person', 'hits')),
    link integer NOT NULL,
    number integer NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (bank, kind, link, number)
);

CREATE TRIGGER takeover_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON takeover
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER name_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON name
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE takeover ENABLE ALWAYS TRIGGER takeover_is_never_changed;
ALTER TABLE name ENABLE ALWAYS TRIGGER name_is_never_changed;

-- Takes a bank: the next epoch, in the name of one connection of one process. again: only as the process that
-- holds it already, which has looked away meanwhile. at_least: the epoch of a ledger that is copied here, else 0.
CREATE OR REPLACE FUNCTION take_bank(
    name_of text, genesis bytea, new_holder text, by_writer uuid, at_least bigint, again boolean,
    synchronous boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    number integer;
    loose text := (SELECT string_agg(relname, ', ' ORDER BY relname) FROM pg_class WHERE relpersistence <> 'p'
        AND oid IN ('bank'::regclass, 'journal'::regclass, 'posting'::regclass, 'head'::regclass,
            'takeover'::regclass));
    own_start timestamptz := (SELECT a.backend_start FROM pg_stat_activity a WHERE a.pid = pg_backend_pid());
BEGIN
    PERFORM check_durable(synchronous);
    IF loose IS NOT NULL THEN
        RAISE EXCEPTION 'unlogged, empty after a crash and on every standby: ALTER TABLE ... SET LOGGED: %', loose
            USING ERRCODE = 'JP002';
    END IF;
    SELECT id INTO number FROM bank WHERE name = name_of;
    IF NOT FOUND THEN
        INSERT INTO bank (name) VALUES (name_of) ON CONFLICT (name) DO NOTHING;
        SELECT id INTO number FROM bank WHERE name = name_of;
    END IF;
    UPDATE head SET epoch = greatest(epoch + 1, at_least), holder = new_holder, writer = by_writer,
            backend = pg_backend_pid(), backend_start = own_start
        WHERE bank = number AND (writer = by_writer OR NOT again);
    IF NOT FOUND THEN
        INSERT INTO head VALUES (
            number, greatest(1, at_least), 0, genesis, new_holder, 0, by_writer, pg_backend_pid(), own_start
        ) ON CONFLICT (bank) DO NOTHING;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'the bank was taken by another writer' USING ERRCODE = 'JP001';
        END IF;
    END IF;
    INSERT INTO takeover (bank, epoch, how, holder, seq)
        SELECT bank, epoch, CASE WHEN at_least > 0 THEN 'copied' ELSE 'taken' END, holder, seq
        FROM head WHERE bank = number;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the database did not keep who took the bank' USING ERRCODE = 'JP005';
    END IF;
END $$;

-- Every account of every level, in the currency's units. What no meter pays has the level "no meter".
CREATE VIEW audit_meters (
    bank, link, level, "primary", reserve, overflow, house, contributions, corrections, transfers, awards
) AS
SELECT conservation.bank,
    coalesce(link_name.name, 'link ' || conservation.link),
    CASE conservation.level WHEN 0 THEN 'no meter'
        ELSE coalesce(level_name.name, 'level ' || conservation.level) END,
    round(conservation."primary" / 1000000.0, 6), round(conservation.reserve / 1000000.0, 6),
    round(conservation.overflow / 1000000.0, 6),
    round(conservation.house / 1000000.0, 6), round(conservation.contributions / 1000000.0, 6),
    round(conservation.corrections / 1000000.0, 6),
    round(conservation.transfers / 1000000.0, 6), round(conservation.awards / 1000000.0, 6)
FROM conservation
JOIN bank ON bank.name = conservation.bank
LEFT JOIN name AS link_name
    ON link_name.bank = bank.id AND link_name.kind = 'link' AND link_name.number = conservation.link
LEFT JOIN name AS level_name
    ON level_name.bank = bank.id AND level_name.kind = 'level' AND level_name.link = conservation.link
    AND level_name.number = conservation.level;

-- Every row that made or changed a hit, a line for each level that it posted on, or one alone. Postings are the row's,
-- of all its hits together, in the currency's units; sources are negative. at: UTC. made_in, made_as: of a hit that was won
-- before banks were joined the bank that handed it on, and its number there.
CREATE VIEW audit_hits (
    bank, hit, made_in, made_as, seq, at, event, "table", link, level, cycle, "primary", reserve, overflow, house, wagers,
    awards, corrections, transfers, hash
) AS
SELECT bank.name, hit_entry.hit,
    CASE WHEN coalesce(part.name, '') = '' THEN bank.name ELSE part.name END,
    CASE WHEN coalesce(part.name, '') = '' THEN hit_entry.hit ELSE hit_entry.hit - part.number + 1 END,
    hit_entry.seq,
    to_char(timezone('UTC', to_timestamp(journal.at / 1000.0)), 'YYYY-MM-DD HH24:MI:SS.MS'),
    CASE journal.kind WHEN 3 THEN 'wagered' WHEN 5 THEN 'locked' WHEN 6 THEN 'settled' WHEN 7 THEN 'closed'
        WHEN 8 THEN 'voided' WHEN 10 THEN 'validated' WHEN 11 THEN 'paid' WHEN 12 THEN 'undone'
        WHEN 13 THEN 'corrected' WHEN 14 THEN 'released' WHEN 52 THEN 'disputed' WHEN 53 THEN 'lifted'
        WHEN 54 THEN 'papers_erased' WHEN 55 THEN 'papers_added'
        ELSE 'kind ' || journal.kind END,
    coalesce(table_name.name, 'table ' || journal."table"),
    coalesce(link_name.name, 'link ' || coalesce(posting.link, journal.link)),
    CASE posting.level WHEN 0 THEN 'no meter' ELSE coalesce(level_name.name, 'level ' || posting.level) END,
    posting.cycle,
    round(posting."primary" / 1000000.0, 6), round(posting.reserve / 1000000.0, 6),
    round(posting.overflow / 1000000.0, 6),
    round(posting.house / 1000000.0, 6), round(posting.wagers / 1000000.0, 6),
    round(posting.awards / 1000000.0, 6),
    round(posting.corrections / 1000000.0, 6),
    round(posting.transfers / 1000000.0, 6), encode(journal.hash, 'hex')
FROM hit_entry
JOIN bank ON bank.id = hit_entry.bank
JOIN journal ON journal.bank = hit_entry.bank AND journal.seq = hit_entry.seq
LEFT JOIN posting ON posting.bank = hit_entry.bank AND posting.seq = hit_entry.seq
LEFT JOIN name AS table_name
    ON table_name.bank = journal.bank AND table_name.kind = 'table' AND table_name.number = journal."table"
LEFT JOIN name AS link_name
    ON link_name.bank = journal.bank AND link_name.kind = 'link'
    AND link_name.number = coalesce(posting.link, journal.link)
LEFT JOIN name AS level_name
    ON level_name.bank = posting.bank AND level_name.kind = 'level' AND level_name.link = posting.link
    AND level_name.number = posting.level
LEFT JOIN name AS part
    ON part.bank = hit_entry.bank AND part.kind = 'hits' AND part.number = (
        SELECT max(number) FROM name AS below
        WHERE below.bank = hit_entry.bank AND below.kind = 'hits' AND below.number <= hit_entry.hit
    );

-- Everybody whom the journal ever numbered. login: none once the name was erased. mark, secret: as the journal has
-- them, in hexadecimal; nothing in it lets anybody in.
CREATE VIEW audit_people (number, login, mark, secret) AS
SELECT name.number, person.login, name.name, encode(secret.digest, 'hex')
FROM name
LEFT JOIN person ON encode(person.mark, 'hex') = name.name
LEFT JOIN secret ON secret.person = name.number
WHERE name.kind = 'person';
