"""How late the machine wakes a sleeping thread."""

import os
import threading
import time


class Lateness:
    """The most milliseconds by which the machine woke a sleeping thread too late; a context manager that measures.

    With a folder, the thread also writes to the disk, as a program that commits."""

    NAP = 0.02

    def __init__(self, folder=None):
        self.most, self.over, self.folder = 0.0, threading.Event(), folder
        self.thread = threading.Thread(target=self.measure, daemon=True)

    def measure(self):
        begun = time.monotonic()
        while not self.over.wait(self.NAP):
            if self.folder:
                self.commit()
            now = time.monotonic()
            self.most, begun = max(self.most, (now - begun - self.NAP) * 1000), now

    def commit(self):
        with open(f"{self.folder}/lateness", "wb", buffering=0) as file:
            file.write(bytes(4096))
            os.fdatasync(file.fileno())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
