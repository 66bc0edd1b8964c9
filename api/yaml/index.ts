export { yamlTextOf } from './text.ts';
export { type ParsedYaml, YamlSyntax, parseYaml, parseYamlStrictly, toYaml, toYamlInSlices } from './yaml.ts';
