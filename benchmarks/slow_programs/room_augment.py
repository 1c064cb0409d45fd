"""Data preparation: add room acoustics and noise to speech-like clips, store features."""

import io
import time

import torch
import torch.nn.functional as F

RATE = 16_000
CLIP = RATE  # one second


class RoomBank:
    """Synthetic room impulse responses with exponential decay."""

    def __init__(self, rooms=6, taps=4000, seed=0):
        g = torch.Generator().manual_seed(seed)
        t = torch.arange(taps) / RATE
        rt60 = 0.1 + 0.3 * torch.rand(rooms, 1, generator=g)
        decay = torch.exp(-6.9 * t / rt60)
        self.bank = torch.randn(rooms, taps, generator=g) * decay
        self.bank[:, 0] = 1.0
        self.bank /= self.bank.norm(dim=1, keepdim=True)

    def __len__(self):
        return len(self.bank)

    def apply(self, wave, room):
        rir = self.bank[room]
        padded = F.pad(wave[None, None], (rir.numel() - 1, 0))
        return F.conv1d(padded, rir.flip(0)[None, None])[0, 0]


class LogMel:
    def __init__(self, n_fft=512, hop=160, mels=40):
        self.n_fft, self.hop = n_fft, hop
        self.window = torch.hann_window(n_fft)
        self.bank = self.filterbank(mels)

    def filterbank(self, mels):
        top = 2595 * torch.log10(torch.tensor(1 + RATE / 2 / 700))
        points = 700 * (10 ** (torch.linspace(0, float(top), mels + 2) / 2595) - 1)
        freqs = torch.linspace(0, RATE / 2, self.n_fft // 2 + 1)
        up = (freqs[None] - points[:-2, None]) / (points[1:-1] - points[:-2])[:, None]
        down = (points[2:, None] - freqs[None]) / (points[2:] - points[1:-1])[:, None]
        return torch.minimum(up, down).clamp(min=0)

    def __call__(self, wave):
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)
        return (self.bank @ spec.abs().square()).clamp(min=1e-6).log()


def clips(n, seed=1):
    """Voiced-looking test signals: a few harmonics with a wandering pitch."""
    g = torch.Generator().manual_seed(seed)
    t = torch.arange(CLIP) / RATE
    for i in range(n):
        f0 = 90 + 120 * torch.rand((), generator=g)
        pitch = f0 * (1 + 0.05 * torch.sin(2 * torch.pi * 3 * t))
        phase = 2 * torch.pi * torch.cumsum(pitch, 0) / RATE
        wave = sum(torch.sin(h * phase) / h for h in range(1, 9))
        envelope = torch.sigmoid(8 * torch.sin(2 * torch.pi * 2.5 * t))
        yield f"utt-{i:05d}", wave * envelope


def add_noise(wave, snr_db, gen):
    noise = torch.randn(wave.shape, generator=gen)
    gain = wave.norm() / noise.norm() / 10 ** (snr_db / 20)
    return wave + gain * noise


def prepare(n):
    rooms, features = RoomBank(), LogMel()
    gen = torch.Generator().manual_seed(2)
    shard, written = [], 0
    t0 = time.perf_counter()
    for i, (name, wave) in enumerate(clips(n), 1):
        room = int(torch.randint(len(rooms), (1,), generator=gen))
        wet = rooms.apply(wave, room)
        noisy = add_noise(wet, 15.0, gen)
        shard.append({"name": name, "room": room, "feats": features(noisy).half()})
        if len(shard) == 20:
            buf = io.BytesIO()
            torch.save(shard, buf)
            written += buf.tell()
            shard = []
            print(f"{i} clips, {i / (time.perf_counter() - t0):.1f}/s, {written / 1e6:.2f} MB")


if __name__ == "__main__":
    torch.set_num_threads(2)
    prepare(200)
