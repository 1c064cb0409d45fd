import torch


def inputs():
    return torch.randn(64, 512), None, torch.randn(64)


def baseline(x, mask, gain):
    k = torch.fft.fft(x.to(torch.complex64))
    half = k[:, : x.shape[-1] // 2 + 1].contiguous()
    return half * gain[:, None], None, {"power": (half.real**2 + half.imag**2).mean(0), "mask": mask}


def optimized(x, mask, gain):
    half = torch.fft.rfft(x)
    return half * gain[:, None], None, {"power": torch.view_as_real(half).square().sum(-1).mean(0), "mask": mask}
