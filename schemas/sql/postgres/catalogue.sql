-- The facts of the ledger's own schema, as PostgreSQL's catalogue has it: `verify` and every start compare it with
-- facts.json, which says what the migrations and roles.sql make (S3). One line a fact:
--     fact   | thing         | what it is
--     index  | name          | unique, or nothing         where no constraint owns it
--     right  | on what       | whose                | which   of everybody but the owner
-- What an extension brought is left out, and so is any other schema.
WITH ours AS MATERIALIZED (
    SELECT pg_class.* , pg_class.oid AS of, current_schema()::regnamespace AS ours
    FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND NOT EXISTS (
        SELECT FROM pg_depend WHERE deptype = 'e' AND (classid = 'pg_class'::regclass AND objid = pg_class.oid
            OR classid = 'pg_type'::regclass AND objid = reltype)
    )
), routine AS MATERIALIZED (
    SELECT pg_proc.*
    FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND NOT EXISTS (
        SELECT FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_proc'::regclass AND objid = pg_proc.oid
    )
), owner (id) AS (
    SELECT relowner FROM ours WHERE relname = 'journal'
), told (sort, thing, fact, which) AS (
    SELECT 'fact', CASE relkind WHEN 'r' THEN 'table ' WHEN 'v' THEN 'view ' WHEN 'S' THEN 'sequence '
            WHEN 'c' THEN 'type ' ELSE 'relation of kind ' || relkind::text || ' ' END || relname,
        concat_ws(', ', CASE relpersistence WHEN 'p' THEN 'permanent' ELSE 'not permanent' END,
            CASE WHEN relrowsecurity OR relforcerowsecurity THEN 'with row security' END,
            CASE WHEN EXISTS (SELECT FROM pg_inherits WHERE of IN (inhrelid, inhparent)) THEN 'inheriting' END,
            -- How a table is stored and cleaned changes no row; what a view is told may.
            CASE WHEN relkind = 'v' THEN array_to_string(reloptions, ' ') END,
            CASE WHEN relowner <> (SELECT id FROM owner) THEN 'of another owner than the journal' END),
        ''
    FROM ours WHERE relkind NOT IN ('i', 'I', 't')
    UNION ALL
    SELECT 'fact', format('column %s.%s', relname, attname),
        concat_ws(' ', format_type(atttypid, atttypmod),
            CASE WHEN attcollation <> 0 AND attcollation <> 'pg_catalog."default"'::regcollation
                THEN 'collate ' || attcollation::regcollation::text END,
            CASE WHEN attnotnull THEN 'not null' END,
            CASE WHEN attidentity <> '' THEN 'identity ' || attidentity::text END,
            CASE WHEN attgenerated <> '' THEN 'generated ' || attgenerated::text END,
            'default ' || pg_get_expr(adbin, adrelid)),
        ''
    FROM ours JOIN pg_attribute ON attrelid = of
    LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
    WHERE relkind IN ('r', 'v', 'c') AND attnum > 0 AND NOT attisdropped
    UNION ALL
    -- Not null is a column's; PostgreSQL 18 lists it here too.
    SELECT 'fact', format('constraint %s.%s', relname, conname),
        pg_get_constraintdef(pg_constraint.oid) || CASE WHEN convalidated THEN '' ELSE ' not valid' END, ''
    FROM ours JOIN pg_constraint ON conrelid = of WHERE contype NOT IN ('n', 't')
    UNION ALL
    SELECT 'fact', format('trigger %s on %s', tgname, relname),
        concat_ws(', ', CASE tgenabled WHEN 'A' THEN 'always' WHEN 'O' THEN 'unless replicating'
                WHEN 'R' THEN 'when replicating' ELSE 'disabled' END,
            'type ' || tgtype,
            (
                SELECT format('%s%s(%s)', CASE WHEN pronamespace <> ours.ours THEN nspname || '.' END, proname,
                    oidvectortypes(proargtypes))
                FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace WHERE pg_proc.oid = tgfoid
            ),
            CASE WHEN tgqual IS NOT NULL THEN 'with a condition' END,
            CASE WHEN tgnargs > 0 THEN 'with arguments' END,
            CASE WHEN tgattr::text <> '' THEN 'of some columns' END,
            CASE WHEN tgdeferrable THEN 'deferrable' END),
        ''
    -- Of the migrations' constraints none has a trigger: one that is called PostgreSQL's own is somebody's.
    FROM ours JOIN pg_trigger ON tgrelid = of
    UNION ALL
    SELECT 'fact', format('function %s(%s)', proname, oidvectortypes(proargtypes)),
        concat_ws(', ', lanname, 'kind ' || prokind::text, 'volatility ' || provolatile::text,
            'returns ' || format_type(prorettype, NULL), CASE WHEN prosecdef THEN 'as its owner' END,
            CASE WHEN proisstrict THEN 'strict' END,
            replace(array_to_string(proconfig, ' '), current_schema(), 'own'),
            CASE WHEN proowner <> (SELECT id FROM owner) THEN 'of another owner than the journal' END,
            'body ' || encode(sha256(convert_to(prosrc, 'UTF8')), 'hex')),
        ''
    FROM routine JOIN pg_language ON pg_language.oid = prolang
    UNION ALL
    SELECT 'fact', format('rule %s on %s', rulename, relname), '', ''
    FROM ours JOIN pg_rewrite ON ev_class = of
    WHERE NOT (relkind = 'v' AND rulename = '_RETURN' AND ev_enabled = 'O')
    UNION ALL
    SELECT 'fact', format('policy %s on %s', polname, relname), '', ''
    FROM ours JOIN pg_policy ON polrelid = of
    UNION ALL
    SELECT 'fact', 'query of view ' || relname, pg_get_viewdef(of), ''
    FROM ours WHERE relkind = 'v'
    UNION ALL
    SELECT 'index', (SELECT relname FROM pg_class WHERE pg_class.oid = indexrelid),
        CASE WHEN indisunique OR indisexclusion THEN 'unique' ELSE '' END, ''
    FROM ours JOIN pg_index ON indrelid = of
    WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    UNION ALL
    SELECT 'right', what, CASE grantee WHEN 0 THEN 'everybody' ELSE pg_get_userbyid(grantee) END, privilege_type
    FROM (
        SELECT relname AS what, relowner AS whose, relacl AS rights FROM ours
        UNION ALL SELECT relname, relowner, attacl FROM ours JOIN pg_attribute ON attrelid = of
        UNION ALL SELECT proname, proowner, coalesce(proacl, acldefault('f', proowner)) FROM routine
    ) AS given, aclexplode(rights)
    WHERE grantee <> whose
)
SELECT DISTINCT sort, thing, fact, which FROM told ORDER BY sort, thing, fact, which
