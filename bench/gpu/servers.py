# SPDX-License-Identifier: Apache-2.0
"""Programs that answer one line with one line of JSON, each kept running between commands."""
import json
import os
import selectors
import subprocess
import time


class Server:
    def __init__(self, argv, env, log):
        self.argv, self.env, self.log = argv, env, log
        self.process, self.rest = None, b""

    def _start(self):
        self.rest = b""
        self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.log, env=self.env, bufsize=0)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.process = None

    def _line(self, seconds):
        """The next line of its output; None at its end. TimeoutError after SECONDS."""
        end = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                if not selector.select(max(0, end - time.monotonic())):
                    raise TimeoutError
                data = os.read(self.process.stdout.fileno(), 1 << 16)
                if not data:
                    return None
                self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def ask(self, command, seconds):
        """The reply to COMMAND; one with "error" where there is none. After an error the program starts
        anew: a fault of the device stays with the process that had it."""
        try:
            if not self.process:
                self._start()
            self.process.stdin.write(command.encode() + b"\n")
            while (line := self._line(seconds)) is not None and not line.startswith(b"{"):
                pass
            reply = json.loads(line) if line is not None else {"error": self._end()}
        except TimeoutError:
            reply = {"error": f"no answer within {seconds:.0f} s", "silent": True}
        except BrokenPipeError:
            reply = {"error": self._end()}
        except (OSError, ValueError) as e:
            reply = {"error": str(e)}
        if "error" in reply:
            self.stop()
        return reply

    def _end(self):
        code = self.process.wait()
        return f"ended by signal {-code}" if code < 0 else f"ended with status {code}"


class Servers:
    """By name and environment. PROGRAMS: their folder; LOG: the file for their messages."""

    def __init__(self, programs, log, python, source):
        self.programs, self.python, self.source = programs, python, source
        self.log = open(log, "ab")
        self.running = {}

    def get(self, name, extra=()):
        key = (name, tuple(sorted(dict(extra).items())))
        if key not in self.running:
            argv = [os.path.join(self.programs, name)]
            if name == "torch":
                argv = [self.python, os.path.join(self.source, "torch_reference.py")]
            self.running[key] = Server(argv, {**os.environ, **dict(extra)}, self.log)
        return self.running[key]

    def stop(self, name=None):
        for key in [k for k in self.running if name in (None, k[0])]:
            self.running.pop(key).stop()
