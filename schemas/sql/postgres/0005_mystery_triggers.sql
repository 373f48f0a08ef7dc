-- The running triggers of mystery levels, encrypted: without the key, which is a file elsewhere, a row tells nothing.

-- A row is written in the transaction of the journal's row that commits to it, and deleted in that of the row that opens it.
-- committed: the commitment, as the journal has it. ledger to number: the fields of its hash. key_id: names the key.
-- sealed: salt, trigger and the random bytes that it was drawn from.
CREATE TABLE mystery_trigger (
    committed bytea NOT NULL PRIMARY KEY CHECK (octet_length(committed) = 32),
    ledger text NOT NULL,
    bank text NOT NULL,
    link text NOT NULL,
    level text NOT NULL,
    cycle bigint NOT NULL,
    number bigint NOT NULL,
    key_id text NOT NULL,
    sealed bytea NOT NULL
);

-- Every running commitment, with the id of the key that its trigger is sealed with. committed: in hexadecimal.
CREATE VIEW audit_commitments (bank, link, level, cycle, number, committed, key_id) AS
SELECT bank, link, level, cycle, number, encode(committed, 'hex'), key_id FROM mystery_trigger;

-- As before, with the name of a credit to a game account.
CREATE OR REPLACE VIEW audit_hits (
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
        WHEN 54 THEN 'papers_erased' WHEN 55 THEN 'papers_added' WHEN 94 THEN 'credited' WHEN 96 THEN 'lamp_reported'
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
