import { vocabularies } from '../../api/vocabulary/index.ts';
import { oneOf } from './flags.ts';

const products = vocabularies.map(({ product }) => product);
const HELP = 'which names identifiers that carry the product word have';

export const vocabularyFlag = oneOf(products, 'orch', HELP);

/** Vocabulary flag of client programs; '' to detect the vocabulary from the server. */
export const vocabularyOverrideFlag = oneOf(
  ['', ...products],
  '',
  `${HELP}; default the names of the server that is shown`,
);
