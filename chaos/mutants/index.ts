export { mutantNamed, mutantsOf } from './catalogue.ts';
export { type HuntedMutant, describeMutant, describeScore, mutantCheck, scoreOf } from './describe.ts';
export { type Hunter, createHunter } from './hunt.ts';
export { sieveBugs } from './sieve-bugs.ts';
