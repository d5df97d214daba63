"""What the crash tests call: a peer outside, and a broker that can be struck too."""

from pathlib import Path

import pytest
from django.conf import settings

from tests.crash.servers import Peer, Redis
from tests.processes import Processes


@pytest.fixture
def peer(processes: Processes) -> Peer:
    return Peer(processes, Path(settings.TASKBOARD_VAR))


@pytest.fixture
def redis(processes: Processes, tmp_path: Path) -> Redis:
    return Redis(processes, tmp_path)
