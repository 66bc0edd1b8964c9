import { forbiddenImports, importCycles } from './sources.js';

const problems = [...forbiddenImports(), ...importCycles().map((cycle) => `imports in a circle: ${cycle}`)];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
