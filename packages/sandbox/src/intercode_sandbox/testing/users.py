"""The part of the sandbox contract about users: as whom commands run, and what a session may say of that."""

from __future__ import annotations

import time
from typing import ClassVar

import pytest

from intercode_sandbox.errors import UserError
from intercode_sandbox.sandbox import Process, Session
from intercode_sandbox.testing.fixtures import disappears, mark, need, sh
from intercode_sandbox.testing.patience import patience

PASSWD = "root:x:0:0::/root:/bin/sh\nana:x:1234:1235::/home/ana:/bin/sh\n7:x:1300:1300::/:/bin/sh\n"
GROUP = "root:x:0:\nana:x:1235:\nstaff:x:1400:root,ana\nclub:x:1401:ana\nothers:x:1402:anna,banana\n"
WHO = "id -u; id -g; id -G"
WHO_AM_I = ["/usr/bin/id", "-u"]  # without Bash, which reads /etc/passwd itself

JUNK = [
    b"x" * (3 << 20),
    b"ana:x:-1:-1::/:/bin/sh\nana:x:99999999999:0::/:/bin/sh\nana:x:4294967295:0::/:\nana:x:1e3:0::/:/bin/sh\nana",
    b"ana:x:12\0:0::/:/bin/sh\nana\xff:x:5:5::/:/bin/sh\n\xff\n:::::::\n" + b":" * 5000,
    "ana:x:\u0663:0::/:/bin/sh\n".encode(),
]


class UserTests:
    """See `SandboxContract`."""

    no_users: ClassVar[str] = ""
    """Why all commands run as one user; empty where they can run as others."""

    def test_a_command_runs_as_the_user_that_is_named(self, session: Session) -> None:
        """With all groups that it is in; or by number, with a group, and both."""
        need(self.no_users)
        _set_up(session)
        expected = {
            "ana": "1234\n1235\n1235 1400 1401\n",
            "1234": "1234\n1235\n1235 1400 1401\n",
            "ana:staff": "1234\n1400\n1400\n",
            "ana:1777": "1234\n1777\n1777\n",
            "1999": "1999\n0\n0\n",
            "1999:club": "1999\n1401\n1401\n",
            "root": "0\n0\n0 1400\n",
        }
        assert {user: sh(session, WHO, user=user).text for user in expected} == expected

    def test_a_command_runs_as_root_where_no_user_is_named(self, session: Session) -> None:
        need(self.no_users)
        _set_up(session)
        assert sh(session, "id -u").text == sh(session, "id -u", user="0").text == "0\n"

    def test_a_session_has_an_environment_and_a_user_for_those_who_name_none(self, session: Session) -> None:
        """For commands and for programs that stay; what is named goes before, and nothing set is as at first."""
        need(self.no_users)
        _set_up(session)
        path = "/usr/bin:/bin"
        session.configure(env={"PATH": path, "WORD": "ours"}, user="ana")
        assert sh(session, "id -un; echo $WORD").text == "ana\nours\n"
        assert sh(session, "id -u; echo $WORD", user="0", env={"PATH": path}).text == "0\n\n"
        with session.open(["/bin/bash", "-c", "id -u > /dev/stdout; echo $WORD"]) as process:
            assert _all(process) == b"1234\nours\n"
        session.configure(user="nobody-here")
        assert sh(session, "id").exit_code == 126
        with pytest.raises(UserError, match="nobody-here"):
            session.open(["/bin/true"])
        session.configure()
        assert sh(session, "id -u; echo $WORD").text == "0\n\n"

    def test_a_user_may_do_what_a_user_may(self, session: Session) -> None:
        """Neither read what is root's nor become root; its standard streams can be opened by name."""
        need(self.no_users)
        _set_up(session)
        session.write("/data/private", b"secret", mode=0o600)
        assert sh(
            session, "cat private || echo x > /etc/made || kill -9 1 || setpriv --reuid 0 true", user="ana"
        ).exit_code
        said = sh(session, "echo 1 >/dev/stdout; echo 2 >/dev/stderr; cat /dev/stdin", stdin=b"3\n", user="ana")
        assert said.output == b"1\n2\n3\n"
        sh(session, "mkdir closed; chmod 700 closed")
        refused = session.run(["/bin/true"], cwd="/data/closed", user="ana")
        assert (refused.exit_code, "/data/closed" in refused.text) == (126, True)

    def test_a_users_command_is_killed_at_time_out(self, session: Session) -> None:
        need(self.no_users)
        _set_up(session)
        sleeping = mark()
        assert sh(session, f"setsid sleep {sleeping} & sleep {sleeping}", user="ana", timeout=patience(0.5)).timed_out
        assert disappears(sleeping)

    def test_a_user_that_is_not_there_is_126(self, session: Session) -> None:
        """With a message that names it, among the errors where those are kept apart."""
        need(self.no_users)
        _set_up(session)
        for user in ("nobody-here", "nobody-here:staff", "ana:nobodies"):
            result = sh(session, "echo ran", user=user, separate=True)
            assert (result.exit_code, result.output, user in result.errors.decode()) == (126, b"", True)
        assert "nobody-here" in sh(session, "echo ran", user="nobody-here").text

    def test_what_a_session_says_of_users_is_not_trusted(self, session: Session) -> None:
        """Its files may be long, odd, a FIFO, a link to a device, or gone."""
        need(self.no_users)
        for junk in JUNK:
            session.write("/etc/passwd", junk)
            assert session.run(WHO_AM_I, user="ana").exit_code == 126
        for trap in ("mkfifo", "ln -s /dev/zero", "mkdir", "ln -s passwd", "true"):
            laid = session.run(
                ["/bin/sh", "-c", f"rm -rf /etc/passwd /etc/group; {trap} /etc/passwd; {trap} /etc/group"]
            )
            assert laid.exit_code == 0
            assert session.run(WHO_AM_I, user="ana").exit_code == 126
            assert session.run(WHO_AM_I, user="4:5").text == "4\n"

    def test_what_is_no_user_is_the_callers_mistake(self, session: Session) -> None:
        for user in ("", ":", "ana:", ":staff", "a:b:c", "a\0b", "a\nb", "../x"):
            with pytest.raises(UserError):
                sh(session, "true", user=user)

    def test_who_has_one_user_says_so(self, session: Session) -> None:
        """And names who has more."""
        if not self.no_users:
            account = session.account("0:5")
            assert account is not None
            assert (account.uid, account.gid) == (0, 5)
            return
        for ask in (lambda: sh(session, "true", user="1234"), lambda: session.account("1234")):
            with pytest.raises(UserError, match="embedded or the docker sandbox"):
                ask()


def _set_up(session: Session) -> None:
    session.write("/etc/passwd", PASSWD.encode())
    session.write("/etc/group", GROUP.encode())


def _all(process: Process) -> bytes:
    """Return what it prints by its end."""
    printed, end = b"", time.monotonic() + patience(15)
    while time.monotonic() < end:
        has_ended = process.exit_code is not None
        printed += (block := process.receive(0.2))
        if has_ended and not block:
            break
    return printed
