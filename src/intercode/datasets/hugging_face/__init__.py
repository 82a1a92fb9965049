"""Data sets of the Hugging Face hub: `hf:OWNER/NAME`, `hf:OWNER/NAME:SPLIT`, or `hf:./FOLDER` laid out as there."""

from intercode.datasets.hugging_face.dataset import HuggingFaceDataset

__all__ = ["HuggingFaceDataset"]
