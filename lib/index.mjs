import library from './index.cjs';

export const {open} = library;
