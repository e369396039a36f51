/** Multiplies time limits: an emulated processor is slower (test/kernels). */
export const patience = Number(process.env['ION_TEST_PATIENCE'] ?? 1);
