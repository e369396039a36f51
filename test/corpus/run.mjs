import {runOnPackage} from '../bundle.mjs';

await runOnPackage('corpus/print.ts');
