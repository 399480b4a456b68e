<?php
function twice($a) { return $a + $a; }
function show($text) { echo $text; }
$count = 1;
$total = twice($count);
show($total);
$total = $count;
show($total);
