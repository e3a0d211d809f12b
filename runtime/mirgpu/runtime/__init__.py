"""Load, check and launch kernels.  See ``mirgpu.runtime.load``."""
