//! Indices of placement sets and pools, for modules that store data by set without depending on what a set is.

crate::id!(
    /// Index of a placement set of the complex.
    SetIx
);

crate::id!(
    /// Index of a pool of the complex.
    PoolIx
);
