"""Spectrogram: frames and rfft by hand against torch.stft."""

import torch

workload = dict(seconds=1.0, rate=8000)


def inputs(seconds, rate):
    t = torch.arange(int(seconds * rate)) / rate
    f = 200 + 1000 * torch.rand(())
    return torch.sin(2 * torch.pi * f * t) + 0.1 * torch.randn_like(t)


def baseline(x):
    window = torch.hann_window(256, dtype=x.dtype, device=x.device)
    frames = x.unfold(0, 256, 64)
    return torch.fft.rfft(frames * window).abs().T.contiguous()


def optimized(x):
    window = torch.hann_window(256, dtype=x.dtype, device=x.device)
    return torch.stft(x, 256, 64, window=window, center=False, return_complex=True).abs().contiguous()
