"""The one error of the simulator."""


class PtxError(Exception):
    """Text that is no PTX known here, or a thread that did something undefined."""
