import {runOnPackage} from '../bundle.mjs';

await runOnPackage('conformance/print.ts');
