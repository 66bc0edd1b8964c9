export { evaluateGoTemplate } from './evaluate.ts';
export { goValue, withIntegers } from './printf.ts';
export { parseGoTemplate } from './parser.ts';
export { type Template, TemplateError } from './tree.ts';
