//! The cluster scaler against the answers of the original, and against a packer without shortcuts.

mod cluster;
mod declared;
mod literal;
mod packing;
mod vectors;
