"""Sound as a speech model sees it: the log-mel spectrogram, step by step as Whisper computes it.

A window of 25 ms slides over the sound in steps of 10 ms. In each place a Fourier transform says how much
power there is at each frequency; triangular filters add it up in bands, narrow below and wide above; a
logarithm tames the range.

Source: the features of Whisper, Radford et al. 2023.
"""

import numpy as np

__all__ = ["hertz_to_mel", "log_mel", "mel_filters", "mel_to_hertz"]

RATE, WINDOW, HOP = 16_000, 400, 160  # samples per second; samples in a window; samples from one to the next
KNEE, STEP = 1000.0, 27 / np.log(6.4)  # the mel scale: linear up to the knee (15 mel), logarithmic above


def hertz_to_mel(hertz):
    """Return the place of a frequency on the mel scale, on which equal steps sound about equal.

    3 mel for 200 Hz up to 1000 Hz, then 27 mel for every factor of 6.4.

    >>> print(hertz_to_mel([0, 200, 1000, 6400]))
    [ 0.  3. 15. 42.]
    """
    hertz = np.asarray(hertz, dtype=float)
    return np.where(hertz < KNEE, 0.015 * hertz, 15 + STEP * np.log(np.maximum(hertz, KNEE) / KNEE))


def mel_to_hertz(mel):
    """Return the frequency at a place on the mel scale; undoes :func:`hertz_to_mel`.

    >>> print(mel_to_hertz([0, 3, 15, 42]))
    [   0.  200. 1000. 6400.]
    """
    mel = np.asarray(mel, dtype=float)
    return np.where(mel < 15, mel / 0.015, KNEE * np.exp((np.maximum(mel, 15) - 15) / STEP))


def mel_filters(bands=80, rate=RATE, window=WINDOW):
    """Return the triangular filters, float64 (bands, window // 2 + 1), over frequencies 0 to rate / 2.

    The corners lie evenly on the mel scale; a triangle rises from one corner to the next and falls to the one
    after, and has area 1 in Hz, so that a wide band does not count for more.

    >>> filters = mel_filters(bands=4, rate=8000, window=8)
    >>> filters.shape, bool((filters >= 0).all())
    ((4, 5), True)
    """
    hertz = np.fft.rfftfreq(window, 1 / rate)
    corners = mel_to_hertz(np.linspace(0, hertz_to_mel(rate / 2), bands + 2))[:, None]
    low, middle, high = corners[:-2], corners[1:-1], corners[2:]
    triangles = np.minimum((hertz - low) / (middle - low), (high - hertz) / (high - middle))
    return np.maximum(triangles, 0) * 2 / (high - low)


def log_mel(sound, rate=RATE, bands=80):
    """Return the log-mel spectrogram of a sound, float64 (bands, len(sound) // 160), low bands first.

    Windows of 400 samples in steps of 160 (at 16000 per second: 25 ms and 10 ms), centred on the steps, the
    sound mirrored at its ends. Of the power in each band the logarithm to base 10 is taken; whatever is more
    than 8 below the largest is raised to that floor; then (x + 4) / 4. Whisper pads the sound with silence to
    30 seconds first.

    Args:
        sound: array (samples,), one channel: floats from −1 to 1, or int16 as stored in a WAV file
        rate: samples per second
        bands: number of filters

    Raises ValueError for another shape, or a sound shorter than half a window.

    A whistle at 1000 Hz, 15 of the 45.2 mel up to 8000 Hz, is loudest in band 15 / 45.2 · 81, counted from 1:

    >>> whistle = np.sin(2 * np.pi * 1000 * np.arange(1600) / 16000)
    >>> features = log_mel(whistle)
    >>> features.shape, int(features[:, 5].argmax()) + 1, round(15 / 45.2 * 81, 1)
    ((80, 10), 27, 26.9)
    """
    padded = np.pad(_samples(sound), WINDOW // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)
    windows = windows[::HOP][: len(sound) // HOP]
    bell = np.sin(np.pi * np.arange(WINDOW) / WINDOW) ** 2
    power = np.abs(np.fft.rfft(windows * bell)) ** 2
    levels = mel_filters(bands, rate) @ power.T
    levels = np.log10(np.maximum(levels, 1e-10))
    return (np.maximum(levels, levels.max() - 8) + 4) / 4


def _samples(sound):
    """Return one channel of sound as floats from −1 to 1."""
    sound = np.asarray(sound)
    if sound.ndim != 1 or len(sound) <= WINDOW // 2:
        raise ValueError(f"sound has shape {sound.shape}; expected one channel of over {WINDOW // 2} samples")
    return sound / 32768 if sound.dtype == np.int16 else sound.astype(float)
