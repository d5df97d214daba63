"""A throw-away PostgreSQL cluster from this machine's binaries; also `python -m tests.postgres COMMAND`."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from tests.processes import free_port

SETTINGS = ["listen_addresses=127.0.0.1", "max_connections=300", "fsync=on", "log_min_messages=panic"]
INITDB = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8"]


@dataclass
class Cluster:
    binaries: Path
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="taskboard-postgres-")))
    port: int = field(default_factory=free_port)
    server: "subprocess.Popen[bytes] | None" = None

    @classmethod
    def find(cls) -> Self | None:
        installed = Path("/usr/lib/postgresql").glob("*/bin/initdb")
        found = sorted(installed, key=lambda path: float(path.parts[-3]))
        if not found and (path := shutil.which("initdb")):
            found = [Path(path).resolve()]
        return cls(found[-1].parent) if found else None

    @property
    def as_user(self) -> dict[str, str | int | list[str]]:
        """PostgreSQL refuses to run as root."""
        return {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}

    def start(self) -> str:
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        initdb = [self.binaries / "initdb", "-D", self.folder / "data", *INITDB]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.as_user)
        self.launch()
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def launch(self) -> None:
        """Starts the server on its data, and waits until it answers."""
        options = [f"-c{setting}" for setting in (*SETTINGS, f"unix_socket_directories={self.folder}")]
        command = [self.binaries / "postgres", "-D", self.folder / "data", "-p", str(self.port), *options]
        self.server = subprocess.Popen(command, cwd=self.folder, start_new_session=True, **self.as_user)
        where = ["-U", "postgres", "-h", "127.0.0.1", "-p", str(self.port)]
        ready = [self.binaries / "pg_isready", "-q", *where]
        for _ in range(200):
            if subprocess.run(ready, cwd=self.folder).returncode == 0:
                return
            time.sleep(0.1)
        raise RuntimeError("PostgreSQL did not start within 20 seconds")

    def halt(self) -> None:
        if self.server and self.server.poll() is None:
            self.server.send_signal(signal.SIGINT)  # "fast": open connections are ended
            self.server.wait(20)

    def stop(self) -> None:
        self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)


def main() -> int:
    cluster = Cluster.find()
    if cluster is None:
        sys.exit("PostgreSQL is not installed.")
    try:
        return subprocess.run(sys.argv[1:], env={**os.environ, "DATABASE_URL": cluster.start()}).returncode
    finally:
        cluster.stop()


if __name__ == "__main__":
    sys.exit(main())
