-- The running triggers of mystery levels, encrypted: without the key, which is a file elsewhere, a row tells nothing.

-- A row is written in the transaction of the journal's row that commits to it, and deleted in that of the row that opens it.
-- committed: the commitment, as the journal has it. ledger to number: the fields of its hash. key_id: names the key.
-- sealed: salt, trigger and the random bytes that it was drawn from.
CREATE TABLE mystery_trigger (
    committed BLOB NOT NULL PRIMARY KEY CHECK (length(committed) = 32),
    ledger TEXT NOT NULL,
    bank TEXT NOT NULL,
    link TEXT NOT NULL,
    level TEXT NOT NULL,
    cycle INTEGER NOT NULL,
    number INTEGER NOT NULL,
    key_id TEXT NOT NULL,
    sealed BLOB NOT NULL
) STRICT;

-- Every running commitment, with the id of the key that its trigger is sealed with. committed: in hexadecimal.
CREATE VIEW audit_commitments (bank, link, level, cycle, number, committed, key_id) AS
SELECT bank, link, level, cycle, number, lower(hex(committed)), key_id FROM mystery_trigger;
