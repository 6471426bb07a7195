//! Clusters in front of the packer.
