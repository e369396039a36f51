// A module of our own around the CommonJS package: a lazy `import('shell-quote')` has no named exports in a split build.
export {quote} from 'shell-quote';
