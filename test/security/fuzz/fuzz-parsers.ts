import type { FuzzedParser } from './fuzzed-parser.ts';
import { certificates, tokens } from './credential-parsers.ts';
import { objects, patches } from './object-parsers.ts';
import { parameters, policies, values } from './text-parsers.ts';

/** All parsers of input from clients, peers or configuration files. */
export const fuzzedParsers: readonly FuzzedParser[] = [
  ...tokens,
  ...certificates,
  ...objects,
  ...patches,
  ...parameters,
  ...values,
  ...policies,
];
