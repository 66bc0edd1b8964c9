export { ownFlagName } from './flag-names.ts';
export {
  type Product,
  type Vocabulary,
  orchVocabulary,
  vocabularies,
  vocabularyOf,
  vocabularyOfGroups,
} from './vocabulary.ts';
