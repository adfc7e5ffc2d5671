// What a formatter cannot see: names that are not there, dead code, CSS that no browser knows.
import css from "@eslint/css";
import js from "@eslint/js";

const PAGE = "service/web/static";

export default [
  {
    files: [`${PAGE}/js/**/*.js`, "hardware/emulator/rp2040/*.js", "eslint.config.js"],
    ...js.configs.recommended,
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...js.configs.recommended.rules,
      // tsc knows every name of the browser, and says which is missing.
      "no-undef": "off",
      eqeqeq: "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-var": "error",
      "prefer-const": "error",
      "max-lines": ["error", 400],
    },
  },
  {
    files: [`${PAGE}/css/**/*.css`],
    plugins: { css },
    language: "css/css",
    rules: {
      ...css.configs.recommended.rules,
      "css/use-baseline": "off",
      // Colours are defined in a sheet of their own: tests/service/web/test_page_source.py.
      "css/no-invalid-properties": ["error", { allowUnknownVariables: true }],
      "css/no-important": "off",
      // The linter knows the at-rule, not its one descriptor.
      "css/no-invalid-at-rules": "off",
    },
  },
];
