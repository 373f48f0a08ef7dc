"""The Server dashboard: latencies, commits, memory, connections, and which server holds which bank."""

from typing import Final

from jackpot.web.dashboards.grafana import GREEN, RED, Dashboard, Panel
from jackpot.web.dashboards.queries import BY_SERVER, RESTARTS, S, late, one, row


def percentiles(metric: str) -> tuple[tuple[str, str], ...]:
    """Legends and queries of a histogram's percentiles."""
    rate = f"sum by (le) (rate(jackpot_{metric}_bucket{{{S}}}[$__rate_interval]))"
    parts = (0.5, 0.9, 0.99, 0.999)
    return tuple((f"p{part * 100:g}", f"histogram_quantile({part:g}, {rate})") for part in parts)


def rate_of(metric: str) -> str:
    """Expression for a counter's rise a second."""
    return f"sum(rate({metric}{{{S}}}[$__rate_interval]))"


_OFF: Final = f"jackpot_clock_timestamp_seconds{{{S}}} - timestamp(jackpot_clock_timestamp_seconds{{{S}}})"
_ENDED: Final = f'jackpot_connections_closed_total{{{S}, code!="ended"}}'
_FAULTS: Final = {
    "in doubt": "commits_in_doubt",
    "slow": "commits_slow",
    "refused": "batches_refused",
    "peers": "peer_failures",
    "lines lost": "log_lines_dropped",
}

SERVER: Final = Dashboard(
    "server",
    "Server",
    "Does the program keep up? Latencies, commits, memory, connections, and which server holds which bank.",
    (BY_SERVER,),
    [
        Panel(
            "states",
            "Who holds which bank",
            "Green: this server decides for the bank, and is durable. Two greens for one bank never overlap.",
            [("{{bank}} at {{instance}}", f"jackpot_bank_active{{{S}}}")],
            width=16,
            mapping={0: ("not here", RED), 1: ("holds it", GREEN)},
        ),
        one(
            "Running since",
            "How long each program has run.",
            f"time() - process_start_time_seconds{{{S}}}",
            unit="s",
        )._replace(width=4, height=8),
        one(
            "Clock",
            "How far the machine's clock is off that of Prometheus.",
            f"max(abs({_OFF}))",
            unit="s",
            steps=late(1, 5),
        )._replace(width=4, height=8, decimals=1),
        row("Latency"),
        Panel(
            "lines",
            "Wager to answer",
            "From taking in a wager to releasing its answer.",
            percentiles("wager_answer_seconds"),
            "s",
            steps=((0, GREEN), (0.5, RED)),
        ),
        Panel(
            "lines",
            "Commit",
            "How long a durable commit takes; at 2 s links are suspended.",
            percentiles("commit_seconds"),
            "s",
            steps=((0, GREEN), (0.25, RED)),
        ),
        Panel(
            "lines",
            "Event loop lag",
            "How late the server's own timers are; above 0.1 s signs are late.",
            percentiles("event_loop_lag_seconds"),
            "s",
            steps=((0, GREEN), (0.1, RED)),
        ),
        Panel(
            "lines",
            "Rows a commit",
            "One commit carries all that came in while the last one was flushed.",
            percentiles("batch_rows"),
            "short",
        ),
        Panel(
            "lines",
            "Commands and commits",
            "Commands of devices, people and the server itself, and the commits that carry them.",
            [
                ("commands", rate_of("jackpot_commands_total")),
                ("commits", rate_of("jackpot_commit_seconds_count")),
            ],
            "ops",
        ),
        Panel(
            "stacked",
            "Queue",
            "Commands and questions not answered yet, by what they wait for.",
            [("{{stage}}", f"sum by (stage) (jackpot_queue_commands{{{S}}})")],
            "short",
            decimals=0,
        ),
        row("Room"),
        Panel(
            "lines",
            "Processor",
            "Of each server's process; one processor is 100 %.",
            [("{{instance}}", f"rate(process_cpu_seconds_total{{{S}}}[$__rate_interval])")],
            "percentunit",
        ),
        Panel(
            "lines",
            "Memory",
            "Resident, of each server's process.",
            [("{{instance}}", f"process_resident_memory_bytes{{{S}}}")],
            "bytes",
        ),
        Panel(
            "lines",
            "Disk of the ledger",
            "Free bytes where the ledger is a file; a PostgreSQL has its own monitoring.",
            [("{{instance}}", f"jackpot_ledger_disk_free_bytes{{{S}}}")],
            "bytes",
        ),
        Panel(
            "lines",
            "Connections",
            "Of tables and signs, strangers included.",
            [("{{role}}", f"sum by (role) (jackpot_connections{{{S}}})")],
            "short",
            decimals=0,
        ),
        Panel(
            "lines",
            "Open files",
            "Files and connections of the process, next to what the system allows.",
            [("{{instance}}", f"process_open_fds{{{S}}} / process_max_fds{{{S}}}")],
            "percentunit",
        ),
        Panel(
            "lines",
            "Entries not proved yet",
            "Journal entries newer than the last signed head; nothing where no heads are signed.",
            [("{{bank}}", f"jackpot_durable_seq{{{S}}} - on (instance, bank) jackpot_signed_seq{{{S}}}")],
            "short",
            decimals=0,
        ),
        row("Refused and lost"),
        Panel(
            "bars",
            "Refusals",
            "Frames of tables that were refused, by code.",
            [("{{code}}", f"sum by (code) (rate(jackpot_refusals_total{{{S}}}[$__rate_interval])) > 0")],
            "ops",
        ),
        Panel(
            "bars",
            "Strangers",
            "Connections refused at the door, and those that ended with an error, in five minutes.",
            [
                (
                    "{{listener}} refused",
                    f"sum by (listener) (increase(jackpot_listener_refused_total{{{S}}}[5m])) > 0",
                ),
                (
                    "{{role}} {{code}}",
                    f"sum by (role, code) (increase({_ENDED}[5m])) > 0",
                ),
            ],
            "short",
        ),
        Panel(
            "bars",
            "Faults",
            "Commits in doubt or slow, batches refused, peers broken off, log lines lost, in five minutes.",
            [
                (name, f"sum(increase(jackpot_{metric}_total{{{S}}}[5m])) > 0")
                for name, metric in _FAULTS.items()
            ],
            "short",
        ),
    ],
    (RESTARTS,),
)
