export { evaluateGoTemplate } from './evaluate.ts';
export { parseGoTemplate } from './parser.ts';
export { type Template, TemplateError } from './tree.ts';
