user_pref("font.name.serif.x-western", "Times New Roman");
user_pref("font.name.serif.x-unicode", "Times New Roman");
user_pref("font.name.sans-serif.x-western", "Arial");
user_pref("font.name.sans-serif.x-unicode", "Arial");
