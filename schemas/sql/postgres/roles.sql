-- The roles and their rights: one group role for servers, one for auditors and dashboards. Grant them to roles that sign in.
--
-- May be run again at any time, and is after each migration. A server adds rows and moves the head; nothing
-- lets it change or take away what is written.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['jackpot_server', 'jackpot_auditor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', name);
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), name);
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', current_schema(), name);
    END LOOP;
END $$;

-- What everybody has in a new database: to fill its disk with tables of their own, to come in at all, and, of
-- an older PostgreSQL, to make functions that are found as the ledger's are.
DO $$
BEGIN
    EXECUTE format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO jackpot_server, jackpot_auditor', current_database());
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', current_schema());
END $$;

GRANT INSERT ON bank, journal, posting, hit_entry, takeover, name TO jackpot_server;
GRANT INSERT, UPDATE ON head TO jackpot_server;
GRANT INSERT, UPDATE, DELETE ON snapshot TO jackpot_server;
GRANT INSERT, UPDATE, DELETE ON person, secret, attempt, session, paper, told, mystery_trigger TO jackpot_server;

-- An auditor reads what people did and what they are called, and nothing that lets anybody in. Of a running trigger
-- not even the encrypted bytes: who copied them would need nothing but the key.
REVOKE ALL ON secret, attempt, session, mystery_trigger FROM jackpot_auditor;
