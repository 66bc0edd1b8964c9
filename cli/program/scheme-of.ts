import { builtinKinds, formerKinds } from '../../api/groups/index.ts';
import { type Scheme, createScheme } from '../../api/kinds/index.ts';
import { type Product, vocabularyOf } from '../../api/vocabulary/index.ts';

/** Returns the scheme with all kinds that the programs know. */
export const schemeOf = (product: Product): Scheme =>
  createScheme(vocabularyOf(product), [...builtinKinds, ...formerKinds]);
