import { forbiddenImports, importCycles, importsPastAnIndex } from './sources.js';

const problems = [
  ...forbiddenImports(),
  ...importsPastAnIndex(),
  ...importCycles().map((cycle) => `imports in a circle: ${cycle}`),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
