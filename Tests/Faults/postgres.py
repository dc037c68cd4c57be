"""A private PostgreSQL on a Unix socket, for the store of sightline-server."""

import glob
import os
import signal
import subprocess


class Database:
    def __init__(self, folder):
        self.folder, self.process, self.restarts = f"{folder}/postgres", None, 0
        self.programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[-2]))
        os.makedirs(self.folder)
        # PostgreSQL refuses root.
        self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []
        if self.user:
            os.chmod(folder, 0o711)
            subprocess.run(["chown", "nobody:nogroup", self.folder], check=True)
        self.run("initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        self.start()
        self.run("createdb", "-h", self.folder, "-U", "postgres", "sightline")

    @property
    def settings(self):
        return f"host={self.folder} user=postgres dbname=sightline"

    def run(self, program, *arguments):
        return subprocess.run([*self.user, f"{self.programs}/{program}", *arguments],
                              check=True, capture_output=True, text=True).stdout

    def start(self):
        self.process = subprocess.Popen(
            [*self.user, f"{self.programs}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, "-c", "listen_addresses="],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # pg_isready waits for a recovery too.
        while subprocess.run([f"{self.programs}/pg_isready", "-q", "-h", self.folder], check=False).returncode != 0:
            if self.process.poll() is not None:
                raise RuntimeError(f"PostgreSQL ended with {self.process.returncode}")

    def restart(self, number):
        """SIGKILL, SIGQUIT (at once) or SIGINT (in order)."""
        if number == signal.SIGKILL:
            sessions = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=False).stdout.split()
            for process in [self.process.pid, *map(int, sessions)]:
                try:
                    os.kill(process, number)
                except ProcessLookupError:
                    pass
        else:
            self.process.send_signal(number)
        self.process.wait()
        self.restarts += 1
        self.start()

    def end(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def query(self, text):
        """The rows of a query, with its numbers as numbers; none while the database does not answer."""
        try:
            output = self.run("psql", "-X", "-A", "-t", "-F", "\x1f", "-c", text, self.settings)
        except subprocess.CalledProcessError:
            return []
        return [tuple(int(value) if value.isdigit() else value for value in line.split("\x1f")) for line in output.splitlines()]
