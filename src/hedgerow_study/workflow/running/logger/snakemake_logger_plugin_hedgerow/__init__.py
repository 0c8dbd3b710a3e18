"""`snakemake --logger hedgerow`: what runs, how far it is and what went wrong, and nothing else.

Snakemake looks for packages of this name; `hedgerow_study.workflow.run` puts the folder on its
path. The log file below .snakemake/log has everything.
"""

from __future__ import annotations

import sys

from snakemake_interface_logger_plugins.base import LogHandlerBase

from hedgerow_study.workflow.running.progress import shown


class LogHandler(LogHandlerBase):
    """Hands what Snakemake tells to the display."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self._display = shown(sys.stderr)

    def emit(self, record) -> None:
        """One record of Snakemake."""
        try:
            self._display.handle(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the display, so that the terminal is as it was."""
        self._display.close()
        super().close()
