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
