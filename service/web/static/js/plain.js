// A page that needs nothing but the look.
import "./page.js";
