"""Operations of a running server, one file a subject; `registry` lists them all."""
