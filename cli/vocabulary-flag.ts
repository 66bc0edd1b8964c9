import { vocabularies } from '../api/vocabulary/vocabulary.ts';
import { oneOf } from './flags.ts';

const products = vocabularies.map(({ product }) => product);
const HELP = 'which names identifiers that carry the product word have';

export const vocabularyFlag = oneOf(products, 'orch', HELP);

/** '' where the server is to tell. */
export const vocabularyOverrideFlag = oneOf(
  ['', ...products],
  '',
  `${HELP}; default those of the server that is shown`,
);
