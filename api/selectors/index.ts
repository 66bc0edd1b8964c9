export { FieldSelectorError, escapeFieldValue, parseFieldSelector } from './fields.ts';
export {
  EVERYTHING,
  type LabelSelector,
  LabelSelectorError,
  type LabelSelectorObject,
  fromLabelSelector,
  parseLabelSelector,
} from './labels.ts';
