"""Fold a batch norm into the convolution before it, once, for inference."""

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

constant = ("model",)
workload = dict(batch=2, channels=32, size=48)
smoke = dict(batch=1, channels=3, size=9)
tolerance = dict(rtol=1e-4, atol=1e-4)  # the scale is applied to the weights, not to the sums

torch.set_grad_enabled(False)


def constants(channels):
    model = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU())
    bn = model[1]
    bn.running_mean.normal_()
    bn.running_var.uniform_(0.5, 2)
    bn.weight.uniform_(0.5, 1.5)
    bn.bias.normal_()
    return model.eval()


def inputs(batch, channels, size):
    return torch.randn(batch, channels, size, size)


def baseline(x, model):
    return model(x)


def prepare_optimized(x, model):
    return fuse_conv_bn_eval(model[0], model[1])


def optimized(fused, x, model):
    return torch.relu_(fused(x))
