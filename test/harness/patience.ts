/** How many times as long as on this machine something may take: an emulated processor is slower (test/kernels). */
export const patience = Number(process.env['ION_TEST_PATIENCE'] ?? 1);
