"""Offline speech augmentation: room reverb, noise, log-mel features, shards on disk."""

import os
import tempfile
import time

import numpy as np

SR = 16_000
N_FFT = 512
HOP = 160
N_MELS = 64


def mel_bank(sr=SR, n_fft=N_FFT, n_mels=N_MELS):
    def to_mel(f):
        return 2595.0 * np.log10(1.0 + f / 700.0)

    def to_hz(m):
        return 700.0 * (10.0 ** (m / 2595.0) - 1.0)

    edges = to_hz(np.linspace(to_mel(20.0), to_mel(sr / 2), n_mels + 2))
    freqs = np.fft.rfftfreq(n_fft, 1.0 / sr)
    up = (freqs[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - freqs[None]) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(up, down)).astype(np.float32)


def synth_utterance(rng, seconds):
    t = np.arange(int(seconds * SR)) / SR
    f0 = rng.uniform(90, 240)
    wave = np.zeros_like(t)
    for k in range(1, 6):
        wave += np.sin(2 * np.pi * k * f0 * t + rng.uniform(0, 6.28)) / k
    return (wave * (0.5 + 0.5 * np.sin(2 * np.pi * 3 * t))).astype(np.float32)


def room_response(rng, rt60):
    n = int(rt60 * SR)
    decay = np.exp(-6.9 * np.arange(n) / n)
    h = rng.standard_normal(n) * decay
    h[0] = 4.0
    return (h / np.linalg.norm(h)).astype(np.float32)


def add_reverb(wave, response):
    wet = np.convolve(wave, response)[: len(wave)]
    return wet * (np.abs(wave).max() / (np.abs(wet).max() + 1e-8))


def add_noise(wave, rng, snr_db):
    noise = rng.standard_normal(len(wave), dtype=np.float32)
    gain = np.sqrt(np.mean(wave**2) / 10 ** (snr_db / 10))
    return wave + gain * noise


def log_mel(wave, bank, window):
    frames = np.lib.stride_tricks.sliding_window_view(wave, N_FFT)[::HOP]
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2
    return np.log(power.astype(np.float32) @ bank.T + 1e-6)


def main(utterances=64, copies=2):
    rng = np.random.default_rng(7)
    bank, window = mel_bank(), np.hanning(N_FFT).astype(np.float32)
    rooms = [room_response(rng, rt) for rt in np.linspace(0.3, 0.6, 12)]
    frames, start = 0, time.time()
    with tempfile.TemporaryDirectory() as out:
        for u in range(utterances):
            clean = synth_utterance(rng, rng.uniform(3.0, 6.0))
            features = []
            for _ in range(copies):
                wave = add_reverb(clean, rooms[rng.integers(len(rooms))])
                wave = add_noise(wave, rng, rng.uniform(5, 25))
                features.append(log_mel(wave, bank, window))
            stacked = np.stack(features)
            np.save(os.path.join(out, f"utt_{u:05d}.npy"), stacked)
            frames += stacked.shape[0] * stacked.shape[1]
            if (u + 1) % 16 == 0:
                print(f"{u + 1} utterances, {frames} frames, {time.time() - start:.1f}s")
    print("done", frames)


if __name__ == "__main__":
    main()
