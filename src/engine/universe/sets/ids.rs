//! The numbers of placement sets and pools. What is kept beside the sets, by their number, need not know what a set is.

crate::id!(
    /// One placement set of the complex.
    SetIx
);

crate::id!(
    /// One pool of the complex.
    PoolIx
);
