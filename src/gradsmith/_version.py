"""The version, written down once: the build, the package and emitted source read it here."""

__version__ = "0.1.0"
